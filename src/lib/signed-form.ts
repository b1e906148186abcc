/**
 * What is signed of a form that is posted to a URL: the URL without its fragment, then name and value of every parameter.
 * Sorted by name in code-unit order; a repeated name contributes each distinct value once.
 */
export function toSignedForm(url: string, params: URLSearchParams): string {
  const [address = ''] = url.split('#', 1)
  const names = [...new Set(params.keys())].toSorted()
  return (
    address +
    names.flatMap((name) => [...new Set(params.getAll(name))].toSorted().map((value) => `${name}${value}`)).join('')
  )
}
