export { ExplainDialog } from "./ExplainDialog";
export { Explained } from "./Explained";
export { HoverMeaning } from "./HoverMeaning";
export { TeacherStep, type TeacherStepProps } from "./TeacherStep";
