/** The API reference at /docs: the OpenAPI document as a page, with requests that can be tried. */
import { join } from 'node:path'
import type { onSendHookHandler } from 'fastify'
import { refuse } from '../../flows/errors.ts'
import { type Assets, BUILT, PAGE, readAssets, sendAsset } from './assets.ts'
import type { Api } from './context.ts'

const ROOT = '/docs'
/** In the folder of the built console. */
export const REFERENCE_FOLDER = 'reference'

/** The files are read at the first call: most processes get none. `onSend` is for answers that anybody may ask for. */
export function referencePage(app: Api, onSend: onSendHookHandler, folder: string = BUILT): void {
  let read: Assets | undefined
  const assetsOf = (): Assets => (read ??= readAssets(join(folder, REFERENCE_FOLDER)))
  const options = { schema: { hide: true }, config: { plainText: (_: unknown, { message }: Error) => `${message}\n` } }
  for (const url of [ROOT, `${ROOT}/`, `${ROOT}/assets/:file`]) {
    app.get(url, { ...options, onSend }, async (request, reply) => {
      const { file } = request.params as { file?: string }
      const path = file === undefined ? PAGE : `assets/${file}`
      const assets = assetsOf()
      const asset = assets.get(path)
      if (asset === undefined) throw refuse('NOT_FOUND', assets.has(PAGE) ? 'The page has no such file' : NOT_BUILT)
      return sendAsset(request, reply, { path, asset, policy: POLICY })
    })
  }
}

const NOT_BUILT =
  'The API reference is not built: run `npm run build:console` and restart. The OpenAPI document is at /openapi.json'

/** Scalar writes its styles with scripts. No script does so: those come from files. */
const POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self' 'unsafe-inline'", "img-src 'self' data: blob:"],
  ...["font-src 'self'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join('; ')
