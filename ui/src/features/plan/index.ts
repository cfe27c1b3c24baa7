export { PlanPanel, type PlanPanelProps } from "./PlanPanel";
