/** Words of the page of the field guide's rules. */
export const guide = {
  title: "Field guide",
  intro:
    "What mends common failures with no model. A rule that helped here is preferred here; nothing of it leaves this machine.",
  search: "Find a rule",
  show: { label: "Which rules", used: "Used here", own: "Your own", all: "All" },
  none: {
    used: "No rule was needed yet",
    own: "You have no rules of your own",
    all: "Nothing matches. Try another word.",
  },
  noneText: {
    used: "A rule appears here once it has mended a step, or has tried to.",
    own: "A file of rules in the folder “rules” of the data folder counts from the next failure on.",
  },
  count_one: "{{count}} rule",
  count_other: "{{count}} rules",
  own: "your own",
  record: "helped {{helped}} of {{tried}}",
  forget: "Forget",
  forgetLabel: "Forget what came of: {{title}}",
  forgetAll: "Forget all",
  forgotten: "Forgotten.",
};
