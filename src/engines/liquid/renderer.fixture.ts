/** A renderer without threads, for tests. */
import type { Renderer } from '../../ports/renderer.ts'
import { openRendering } from './rendering.ts'

export function inProcessRenderer(): Renderer {
  const { render, check } = openRendering()
  return {
    render: async ({ texts }, data) => render(texts, data).result,
    check: async ({ texts }) => check(texts),
  }
}
