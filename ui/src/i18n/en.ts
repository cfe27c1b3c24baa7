/* The English catalogue, joined from one file per part of the window. */
import { app } from "./en/app";
import { approval } from "./en/approval";
import { conversation } from "./en/chat";
import { models } from "./en/models";
import { permissions } from "./en/permissions";
import { plan } from "./en/plan";
import { services } from "./en/services";
import { shared } from "./en/shared";
import { teacher } from "./en/teacher";

export const en = { ...app, ...conversation, approval, models, permissions, plan, services, shared, teacher };
