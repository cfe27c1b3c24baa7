/* Keeps a fault in one part of the window from taking the rest with it: the run goes on in the engine whatever is drawn. */
import { TriangleAlert } from "lucide-react";
import { Component, type ReactNode } from "react";
import { t } from "@/i18n";
import { Button } from "@/shared/Button";
import { EmptyState } from "@/shared/EmptyState";

type Props = { children: ReactNode };

export class Boundary extends Component<Props, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <div role="alert" className="min-w-0 flex-1 bg-panel">
        <EmptyState
          icon={<TriangleAlert aria-hidden />}
          title={t("crash.title")}
          action={<Button onClick={() => this.setState({ failed: false })}>{t("crash.again")}</Button>}
        >
          {t("crash.text")}
        </EmptyState>
      </div>
    );
  }
}
