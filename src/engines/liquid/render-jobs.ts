/** What the main thread and a rendering thread exchange. */
import type { TemplateTexts } from '../../domain/directory/template.ts'
import type { Checked, Rendered } from '../../ports/renderer.ts'

/** Without data, the syntax is checked. Data is JSON, which is cheaper to send than objects. */
export type RenderJob = Readonly<{ texts: TemplateTexts; key?: string; data?: string }>

/** `isTime` is true where more time might help. */
export type JobDone = Readonly<{ result: Rendered | Checked; isTime: boolean; millis: number }>

export type RenderMethods = {
  /** Does the first of these, as many as fit into one turn: at least one. `millis` is the CPU time that each may take. */
  work: (jobs: readonly RenderJob[], millis: number) => readonly JobDone[]
}

export type RenderThreadData = Readonly<{ niceness: number; progress: Int32Array }>

/** What the thread says in `progress`: */
export const JOB = 0 // the number of the job that it works on, or IDLE
export const BEGUN = 1 // how many it has begun in its life
export const THREAD = 2 // its number, by which its CPU time is found; 0 if unknown
export const IDLE = -1
