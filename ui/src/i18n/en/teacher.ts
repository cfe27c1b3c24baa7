export const teacher = {} as const;
