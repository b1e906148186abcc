/** The template renderer, loaded with the first template: most messages do not use one. */
import type { Renderer } from '../../ports/renderer.ts'

export function openLateRenderer(): Renderer {
  let loading: Promise<Renderer> | undefined
  const renderer = (): Promise<Renderer> => {
    loading ??= import('./renderer.ts').then(({ openRenderer }) => openRenderer())
    return loading
  }
  return {
    render: async (texts, data) => (await renderer()).render(texts, data),
    check: async (texts) => (await renderer()).check(texts),
  }
}
