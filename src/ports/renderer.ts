/** Renders templates, within bounds on time and size. */
import type { TemplateTexts } from '../domain/directory/template.ts'
import type { TemplateData } from '../domain/directory/template-data.ts'

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

export interface Renderer {
  /** Escapes values in HTML, and not in the other texts. */
  render(texts: TemplateTexts, data: TemplateData): Promise<Rendered>

  /** Checks the syntax before a template is stored. */
  check(texts: TemplateTexts): Promise<Checked>
}
