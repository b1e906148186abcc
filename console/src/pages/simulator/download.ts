/** Saves what only a token opens: fetched, then handed to the browser as a file. */
import { authorization, Problem } from '../../api/client.ts'

export async function download(path: string, filename: string): Promise<void> {
  const response = await fetch(path, { headers: authorization() })
  if (!response.ok) throw new Problem(response.status, await response.json().catch(() => ({})))
  const url = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = url
  link.download = filename
  link.click()
  URL.revokeObjectURL(url)
}
