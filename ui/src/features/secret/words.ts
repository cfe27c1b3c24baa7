/** A question in words. What a program says of itself is only ever text. */
import type { SecretRequest } from "@/ipc/bindings";

/** The program's name for a title; one that lives somewhere unusual is named by its last part. */
export function programOf({ program }: SecretRequest): string {
  return program.split("/").pop() || program;
}

/** Whole minutes until it is declined, at least one. */
export function minutesLeft({ expiresAt }: SecretRequest, now: number): number {
  return Math.max(1, Math.ceil((Date.parse(expiresAt) - now) / 60_000));
}
