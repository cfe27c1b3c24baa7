export { GoalPanel } from "./GoalPanel";
