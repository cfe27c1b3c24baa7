/* The page of figures, on a host in memory. */
import { beforeEach, describe, expect, it } from "vitest";
import { page } from "vitest/browser";
import { render } from "vitest-browser-react";
import { demoMetrics } from "@/ipc/demo/metrics";
import { FakeHost } from "@/ipc/fakeHost";
import { HostContext } from "@/ipc/host";
import { axeViolations } from "@/test/axe";
import { MetricsPage } from "./MetricsPage";

function host(): FakeHost {
  return new FakeHost({ speed: Number.POSITIVE_INFINITY });
}

async function open(fake: FakeHost) {
  await render(
    <HostContext value={fake}>
      <div style={{ width: 760, height: 1400, display: "flex" }}>
        <MetricsPage />
      </div>
    </HostContext>,
  );
}

beforeEach(() => {
  document.documentElement.dataset.theme = "light";
});

describe("the figures", () => {
  it("tells rates, who mended and what was refused, and draws them", async () => {
    await open(host());
    await expect.element(page.getByText("75 %")).toBeVisible();
    await expect.element(page.getByRole("list", { name: "What was not allowed" })).toHaveTextContent("rm");
    expect(document.querySelectorAll("figure canvas")).toHaveLength(3);
    const table = page.getByRole("table", { name: "Completed and failed, by day" });
    await expect.element(table).toHaveTextContent("05-30");
  });

  it.each(["light", "dark", "contrast"])("has nothing for axe to find in %s", async (theme) => {
    document.documentElement.dataset.theme = theme;
    await open(host());
    await expect.element(page.getByText("75 %")).toBeVisible();
    expect(await axeViolations()).toEqual([]);
  });

  it("asks for the span that is chosen, and says when there is nothing in it", async () => {
    const fake = host();
    const asked: (string | null)[] = [];
    fake.metrics = async (since) => {
      asked.push(since);
      return since === null ? demoMetrics() : { ...demoMetrics(), sessions: 0 };
    };
    await open(fake);
    await expect.element(page.getByText("Nothing to count yet")).toBeVisible();
    await page.getByRole("radio", { name: "All" }).click();
    await expect.element(page.getByText("75 %")).toBeVisible();
    expect(asked.at(-1)).toBeNull();
    expect(Date.now() - Date.parse(asked[0] ?? "")).toBeGreaterThan(29 * 86_400_000);
  });
});
