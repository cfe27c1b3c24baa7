export { PlanPanel, type PlanPanelProps, type TeacherSlot } from "./PlanPanel";
