/** What the gateway has against a form: beside the field that it is about, or below all of them. */
import { detailsOf } from '../api/client.ts'
import { Failure } from './parts.tsx'

/** The problem with one field. */
export const problemOf = (error: unknown, path: string): string | undefined =>
  detailsOf(error).find((detail) => detail.path === path)?.message

/** `fields` are the paths of which the form itself shows what is wrong, such as `/phone`. */
type FormFailureProps = Readonly<{ error: unknown; fields: readonly string[] }>

/** What is wrong that none of them shows. */
export function FormFailure({ error, fields }: FormFailureProps) {
  if (error === undefined || error === null) return null
  const details = detailsOf(error)
  const isShown = details.length > 0 && details.every(({ path }) => fields.includes(path))
  return isShown ? null : <Failure error={error} />
}
