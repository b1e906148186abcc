/** Renders templates, within bounds on time and size. */
import type { TemplateTexts } from '../domain/directory/template.ts'
import type { TemplateData } from '../domain/directory/template-data.ts'
import type { TenantId } from '../domain/ids.ts'

/** A saved template, or a draft, which has no name. Its tenant pays for the time it takes. */
export type Renderable = Readonly<{
  tenantId: TenantId
  texts: TemplateTexts
  name?: string
  locale?: string
  version?: number
}>

/** The text of a one-time code does not wait for the tenant's other messages. */
export type RenderPurpose = 'message' | 'code'

export type TemplatePart = keyof TemplateTexts

/** An error in a template and its location; lines and columns count from 1. */
export type Flaw = Readonly<{ part: TemplatePart; line: number; column: number; message: string }>

type Faulty = Readonly<{ kind: 'faulty'; flaws: readonly Flaw[] }>
/** It exceeds the limits on time, memory or size. */
type TooMuch = Readonly<{ kind: 'too-much'; part: TemplatePart }>

export type Checked = Readonly<{ kind: 'ok' }> | Faulty | TooMuch

export type Rendered =
  | Readonly<{ kind: 'ok'; texts: TemplateTexts }>
  /** All missing variables, as the template names them: `name`, `order.id`. */
  | Readonly<{ kind: 'missing'; names: readonly string[] }>
  | Faulty
  | TooMuch

/**
 * Throws `TenantOverload` when too many templates of the tenant wait to be rendered, and `Unavailable` when nothing can be
 * rendered now.
 */
export interface Renderer {
  /** Escapes values in HTML, and not in the other texts. For a message unless another purpose is given. */
  render(template: Renderable, data: TemplateData, purpose?: RenderPurpose): Promise<Rendered>

  /** Checks the syntax before a template is stored. */
  check(draft: Renderable): Promise<Checked>
}
