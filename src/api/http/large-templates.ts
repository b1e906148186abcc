/**
 * Counts rendered templates against the memory budget: a request of a few bytes may render an email of half a
 * megabyte. The memory is reserved from rendering until the message is stored or refused.
 */

import type { TemplateTexts } from '../../domain/directory/template.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { Renderer } from '../../ports/renderer.ts'
import { SMALL_BYTES, type TenantMemoryBudget } from './tenant-memory-budget.ts'

/** Texts up to `smallUpTo` characters are not counted. `onRendered` gets the length of the rendered texts. */
export type Rendering = Readonly<{ tenantId: TenantId; smallUpTo?: number; onRendered?: (characters: number) => void }>

/** Runs `act` with a renderer whose output counts against the budget until `act` is done. */
export type WithRenderer = <Result>(
  rendering: Rendering,
  act: (renderer: Renderer) => Promise<Result>,
) => Promise<Result>

export type RenderingDeps = Readonly<{ withRenderer: WithRenderer }>

export function limitRenderedTemplates(
  deps: Readonly<{ renderer: Renderer; memory: TenantMemoryBudget }>,
): WithRenderer {
  const { renderer, memory } = deps

  return async ({ tenantId, smallUpTo = SMALL_BYTES, onRendered }, act) => {
    const releases: (() => void)[] = []
    // The renderer hands over only a few large texts at a time, so each is counted before the next arrives.
    const render: Renderer['render'] = async (...args) => {
      const result = await renderer.render(...args)
      const characters = result.kind === 'ok' ? lengthOf(result.texts) : 0
      if (characters > smallUpTo) releases.push(memory.reserve(tenantId, characters))
      onRendered?.(characters)
      return result
    }
    try {
      return await act({ ...renderer, render })
    } finally {
      for (const release of releases) release()
    }
  }
}

const lengthOf = ({ text, html = '' }: TemplateTexts): number => text.length + html.length
