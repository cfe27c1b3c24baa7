export { ServicesStrip } from "./ServicesStrip";
