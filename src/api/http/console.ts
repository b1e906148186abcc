/**
 * Serves the built web console from memory. Every path below /console without a file gets index.html, because the console
 * routes by URL itself.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '../../flows/errors.ts'
import { type Assets, BUILT, isHashed, PAGE, readAssets, sendAsset } from './assets.ts'
import type { Api } from './context.ts'
import { REFERENCE_FOLDER } from './reference-page.ts'

const ROOT = '/console'

export function consoleRoutes(app: Api, folder: string = BUILT): void {
  const assets = readAssets(folder, REFERENCE_FOLDER)
  const hidden = { schema: { hide: true } }
  const serve = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = (request.params as { '*'?: string })['*'] ?? ''
    return sendAsset(request, reply, { ...find(assets, path), policy: POLICY })
  }
  const plainText = { config: { plainText: (_: unknown, { message }: Error) => `${message}\n` } }
  app.get(ROOT, { ...hidden, ...plainText }, serve)
  app.get(`${ROOT}/*`, { ...hidden, ...plainText }, serve)
  app.get('/', hidden, async (_request, reply) => reply.redirect(assets.has(PAGE) ? `${ROOT}/` : '/docs'))
}

function find(assets: Assets, path: string) {
  const found = assets.get(path)
  if (found !== undefined) return { path, asset: found }
  const page = assets.get(PAGE)
  if (page === undefined) throw refuse('NOT_FOUND', 'The console is not built: run `npm run build:console` and restart')
  if (isHashed(path)) throw refuse('NOT_FOUND', 'The console has no such file')
  return { path: PAGE, asset: page }
}

const POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "font-src 'self'"],
  ...["connect-src 'self'", "frame-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join('; ')
