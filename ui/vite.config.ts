import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";

const src = fileURLToPath(new URL("./src", import.meta.url));

export default defineConfig({
  plugins: [react(), tailwindcss()],
  resolve: { alias: { "@": src } },
  clearScreen: false,
  server: { port: 5173, strictPort: true },
  // WebKitGTK 2.40, Debian 12's, is the oldest engine that has to run this.
  build: { target: "safari16.4", chunkSizeWarningLimit: 1500 },
  test: {
    projects: [
      {
        extends: true,
        test: { name: "unit", environment: "node", include: ["src/**/*.test.ts"] },
      },
      {
        extends: true,
        test: {
          name: "window",
          include: ["src/**/*.test.tsx"],
          setupFiles: ["src/test/setup.ts"],
          testTimeout: 20_000,
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            // Two runs on one machine must not fight over a port.
            api: { strictPort: false },
            viewport: { width: 1360, height: 860 },
            provider: playwright({
              launchOptions: {
                executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
                args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
              },
            }),
            instances: [{ browser: "chromium" }],
          },
        },
      },
    ],
  },
});
