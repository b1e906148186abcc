/** Fills in templates. Whatever a template asks for, it is bounded in time and in size. */
import type { TemplateTexts } from '../domain/directory/template.ts'
import type { TemplateData } from '../domain/directory/template-data.ts'

export type TemplatePart = keyof TemplateTexts

/** What is wrong with one of the texts, and where; lines and columns count from 1. For whoever wrote the template. */
export type Flaw = Readonly<{ part: TemplatePart; line: number; column: number; message: string }>

type Faulty = Readonly<{ kind: 'faulty'; flaws: readonly Flaw[] }>
/** It wants more time, memory or room than there is. */
type TooMuch = Readonly<{ kind: 'too-much'; part: TemplatePart }>

export type Checked = Readonly<{ kind: 'ok' }> | Faulty | TooMuch

export type Rendered =
  | Readonly<{ kind: 'ok'; texts: TemplateTexts }>
  /** All variables that it needs and was not given, as it names them: `name`, `order.id`. */
  | Readonly<{ kind: 'missing'; names: readonly string[] }>
  | Faulty
  | TooMuch

export interface Renderer {
  /** What is put into html is escaped; what is put into the other texts is not. */
  render(texts: TemplateTexts, data: TemplateData): Promise<Rendered>

  /** Whether it can be read at all, before anybody sends it. */
  check(texts: TemplateTexts): Promise<Checked>
}
