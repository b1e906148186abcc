/** Shows the API's errors next to the fields, or below the form. */
import { detailsOf } from '../api/client.ts'
import { Failure } from './parts.tsx'

export const problemOf = (error: unknown, path: string): string | undefined =>
  detailsOf(error).find((detail) => detail.path === path)?.message

/** `fields` are the error paths that the form shows next to its fields, such as `/phone`. */
type FormFailureProps = Readonly<{ error: unknown; fields: readonly string[] }>

/** The errors that no field shows. */
export function FormFailure({ error, fields }: FormFailureProps) {
  if (error === undefined || error === null) return null
  const details = detailsOf(error)
  const isShown = details.length > 0 && details.every(({ path }) => fields.includes(path))
  return isShown ? null : <Failure error={error} />
}
