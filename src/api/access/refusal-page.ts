/** The page that says why signing in with the identity provider failed: plain html without scripts. */
import type { FastifyReply } from 'fastify'

const HEADERS = {
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

export const sendRefusalPage = (reply: FastifyReply, status: number, reason: string, back: string): FastifyReply =>
  reply.code(status).headers(HEADERS).type('text/html; charset=utf-8').send(toRefusalPage(reason, back))

const toRefusalPage = (reason: string, back: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Not signed in · Pombo</title>
</head>
<body>
<main>
<h1>You are not signed in</h1>
<p>${toHtml(reason)}</p>
<p><a href="${toHtml(back)}">Back to the sign-in page</a></p>
</main>
</body>
</html>
`

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const toHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
