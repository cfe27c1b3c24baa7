/* An action of a goal as a call of the conversation, which it is: it has the same card. Pure. */
import type { ActionType, GoalAction } from "@/ipc/bindings";
import type { CallEntry } from "../callFacts";

export function callOf({ id, action, state, at }: GoalAction): CallEntry {
  const { tool, argument } = CALLS[action.type];
  const input = JSON.stringify({ [argument]: action.content });
  return { type: "call", messageId: id, callId: id, tool, input, state, at };
}

/** By which tool of a conversation an action is known, and what its content is there. */
const CALLS: Record<ActionType, { tool: string; argument: string }> = {
  shell: { tool: "shell", argument: "command" },
  file_read: { tool: "read_file", argument: "path" },
  eval: { tool: "eval", argument: "script" },
  ai_consult: { tool: "ai_consult", argument: "question" },
  user_input: { tool: "ask_user", argument: "question" },
};
