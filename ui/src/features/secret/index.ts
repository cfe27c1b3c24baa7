export { SecretLayer, type SecretLayerProps } from "./SecretLayer";
