/** Fetches files that need the session, such as the source of an email. */
import { saveFile } from '../ui/save-file.ts'
import { callHeaders, Problem } from './client.ts'

export async function fetchFile(path: string): Promise<Response> {
  const response = await fetch(path, { headers: callHeaders() })
  if (!response.ok) throw new Problem(response.status, await response.json().catch(() => ({})))
  return response
}

export async function download(path: string, filename: string): Promise<void> {
  const file = await fetchFile(path)
  saveFile(await file.blob(), filename)
}
