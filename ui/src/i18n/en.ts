/* The English catalogue, joined from one file per part of the window. */
import { app } from "./en/app";
import { approval } from "./en/approval";
import { conversation } from "./en/chat";
import { goal } from "./en/goal";
import { guide } from "./en/guide";
import { metrics } from "./en/metrics";
import { models } from "./en/models";
import { page } from "./en/page";
import { permissions } from "./en/permissions";
import { plan } from "./en/plan";
import { secret } from "./en/secret";
import { services } from "./en/services";
import { shared } from "./en/shared";
import { storage } from "./en/storage";
import { teacher } from "./en/teacher";
import { undo } from "./en/undo";

export const en = {
  ...app,
  ...conversation,
  approval,
  goal,
  guide,
  metrics,
  models,
  page,
  permissions,
  plan,
  secret,
  services,
  shared,
  storage,
  teacher,
  undo,
};
