/** The axe violations of a page, one per line. The source is evaluated, because the page may not load other scripts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const SOURCE = readFileSync(join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8')
const ALL = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }
/** Those of them that another colour scheme can break. */
export const COLOURS = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }

type Violation = Readonly<{ id: string; help: string; nodes: readonly Readonly<{ html: string; target: string[] }>[] }>

export async function axeFindings(page: Page, runOnly = ALL): Promise<readonly string[]> {
  if (await page.evaluate(`typeof axe === 'undefined'`)) await page.evaluate(SOURCE)
  const rules = JSON.stringify({ runOnly, resultTypes: ['violations'] })
  const violations = await page.evaluate<readonly Violation[]>(`axe.run(document, ${rules}).then((r) => r.violations)`)
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, target }) => `${id}: ${help}, ${target.join(' ')} ${html.slice(0, 160)}`),
  )
}
