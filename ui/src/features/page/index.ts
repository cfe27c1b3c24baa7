export { MendDialog } from "./MendDialog";
export { PagePane } from "./PagePane";
