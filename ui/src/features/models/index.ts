export { ModelButton, ModelMeter } from "./ModelButton";
