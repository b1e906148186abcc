/** A text with places to fill in, in one locale. Every change makes a new version; the newest is sent. */

import type { Instant } from '../../lib/time.ts'
import type { TenantId } from '../ids.ts'
import type { Channel } from '../message/message.ts'

export type TemplateKey = Readonly<{ tenantId: TenantId; name: string; locale: string }>

/** An SMS has its text alone. */
export type TemplateTexts = Readonly<{ text: string; subject?: string; html?: string }>

export type Template = TemplateKey &
  Readonly<{ channel: Channel; texts: TemplateTexts; version: number; createdAt: Instant }>

/** The locales to try, best first: `pt-BR`, then `pt`, then the one that everything is written in. */
export function toLocales(wanted: string | undefined, fallback: string): readonly string[] {
  const parts = (wanted ?? fallback).split('-')
  const own = parts.map((_, place) => parts.slice(0, parts.length - place).join('-'))
  return [...new Set([...own, fallback])]
}
