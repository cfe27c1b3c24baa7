/* Settings, saved as they are changed. */
import { useEffect } from "react";
import { t } from "@/i18n";
import type { Settings } from "@/ipc/bindings";
import { useApp } from "@/state/store";
import { ModelsSection } from "./ModelsSection";
import { StorageSection } from "./StorageSection";
import { CapsSection, ConversationSection, LookSection, RunningSection, SafetySection } from "./sections";

export function SettingsPage() {
  const settings = useApp((store) => store.settings);
  const save = useApp((store) => store.saveSettings);
  const part = useApp((store) => store.settingsPart);
  const ready = settings !== null;
  useEffect(() => {
    if (ready && part) document.getElementById(`settings-${part}`)?.scrollIntoView({ block: "start" });
  }, [part, ready]);
  if (!settings) return <main className="flex-1 bg-panel" />;
  const change = (changed: Partial<Settings>) => void save({ ...settings, ...changed });
  const props = { settings, change };
  return (
    <main className="pane min-w-0 flex-1 overflow-auto bg-panel px-8 py-8">
      <div className="mx-auto max-w-[680px]">
        <h1 className="text-xl font-semibold tracking-tight">{t("settings.title")}</h1>
        <p className="text-ink-2">{t("settings.intro")}</p>
        <ModelsSection {...props} />
        <CapsSection {...props} />
        <ConversationSection {...props} />
        <RunningSection {...props} />
        <SafetySection {...props} />
        <LookSection {...props} />
        <StorageSection {...props} />
      </div>
    </main>
  );
}
