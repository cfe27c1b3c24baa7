export const app = { name: "Planwright" } as const;
