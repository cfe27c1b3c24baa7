export { ApprovalLayer, type ApprovalLayerProps } from "./ApprovalLayer";
