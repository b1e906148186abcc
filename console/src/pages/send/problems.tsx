/** The API's errors at their fields: one about `/tags/0` is shown at the tags. */
import { detailsOf } from '../../api/client.ts'
import { FormFailure } from '../../ui/problems.tsx'

/** The fields that show errors. */
const FIELDS = ['/to', '/sender_id', '/from', '/message', '/subject', '/html', '/attachments', '/template', '/app_name']
const OPTIONS = ['/tags', '/metadata', '/expires_at', '/callback_url', '/idempotency_key']

const isUnder = (path: string, field: string): boolean => path === field || path.startsWith(`${field}/`)

export const problemUnder = (error: unknown, field: string): string | undefined =>
  detailsOf(error).find(({ path }) => isUnder(path, field))?.message

/** Whether an error is about one of the options, which may be folded. */
export const isAboutOptions = (error: unknown): boolean =>
  detailsOf(error).some(({ path }) => OPTIONS.some((field) => isUnder(path, field)))

/** The errors that no field shows. */
export const Problems = ({ error }: Readonly<{ error: unknown }>) => (
  <FormFailure
    error={error}
    fields={detailsOf(error)
      .map(({ path }) => path)
      .filter((path) => [...FIELDS, ...OPTIONS].some((field) => isUnder(path, field)))}
  />
)
