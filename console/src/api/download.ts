/** Fetches files that need the session, such as the source of an email. */
import { callHeaders, Problem } from './client.ts'

export async function fetchFile(path: string): Promise<Response> {
  const response = await fetch(path, { headers: callHeaders() })
  if (!response.ok) throw new Problem(response.status, await response.json().catch(() => ({})))
  return response
}

export async function download(path: string, filename: string): Promise<void> {
  const file = await fetchFile(path)
  const url = URL.createObjectURL(await file.blob())
  const link = document.createElement('a')
  link.href = url
  link.download = filename
  link.click()
  URL.revokeObjectURL(url)
}
