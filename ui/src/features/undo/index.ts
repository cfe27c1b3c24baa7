export { UndoDialog } from "./UndoDialog";
