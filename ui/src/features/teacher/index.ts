export { ExplainDialog } from "./ExplainDialog";
export { Explained } from "./Explained";
export { TeacherStep, type TeacherStepProps } from "./TeacherStep";
