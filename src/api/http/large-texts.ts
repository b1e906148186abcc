/**
 * Mails that are made of templates: a call of a few bytes may name a text of half a megabyte. What is filled in is
 * counted like what callers bring, from when it is there until its message is stored or refused.
 */

import type { TemplateTexts } from '../../domain/directory/template.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { Renderer } from '../../ports/renderer.ts'
import { type BodyBudget, LIGHT } from './body-budget.ts'

/** For whom, and what is light enough not to be counted. `onFilled` is told how long the texts are. */
export type Filling = Readonly<{ tenantId: TenantId; light?: number; onFilled?: (characters: number) => void }>

/** Does something with a renderer of its own, and counts what that fills in until it is done. */
export type WithTexts = <Done>(filling: Filling, act: (renderer: Renderer) => Promise<Done>) => Promise<Done>

export type TextsDeps = Readonly<{ withTexts: WithTexts }>

export function countTexts({ renderer, room }: Readonly<{ renderer: Renderer; room: BodyBudget }>): WithTexts {
  // One after the other: many at once would all be filled in before the first is counted.
  let turn: Promise<unknown> = Promise.resolve()

  return async ({ tenantId, light = LIGHT, onFilled }, act) => {
    const leaves: (() => void)[] = []
    const render: Renderer['render'] = (texts, data) => {
      const rendered = turn.then(async () => {
        const filled = await renderer.render(texts, data)
        const characters = filled.kind === 'ok' ? lengthOf(filled.texts) : 0
        if (characters > light) leaves.push(room.take(tenantId, characters))
        onFilled?.(characters)
        return filled
      })
      turn = rendered.then(forget, forget)
      return rendered
    }
    try {
      return await act({ ...renderer, render })
    } finally {
      for (const leave of leaves) leave()
    }
  }
}

const forget = (): void => undefined

const lengthOf = ({ text, html = '' }: TemplateTexts): number => text.length + html.length
