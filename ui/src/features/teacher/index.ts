export { ExplainDialog } from "./ExplainDialog";
export { TeacherStep, type TeacherStepProps } from "./TeacherStep";
