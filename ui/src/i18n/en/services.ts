/** Words of the services that a session runs. */
export const services = {
  label: "Services",
  badge: "service",
  badgeHint: "It runs on while later steps run. Ready when {{ready}}.",
  ready: {
    port: "port {{port}} answers",
    line: "it writes “{{text}}”",
    address: "it writes its address",
    file: "{{path}} is there",
  },
  port: "port {{port}}",
  starting: "starting",
  running: "ready",
  stopping: "stopping",
  end: {
    itself: "ended by itself ({{exit}})",
    sessionEnded: "ended with the session",
    lost: "ended when Planwright did",
  },
  stop: "Stop",
  stopNamed: "Stop {{title}}",
  again: "Start again",
  againNamed: "Start again {{title}}",
  output: "Show output",
  outputNamed: "Show output of {{title}}",
  outputTitle: "Output of {{title}}",
  unread: "The output could not be read. {{why}}",
};
