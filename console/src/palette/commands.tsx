/** The pages and actions of the palette: what the session may open and do. */
import {
  BookOpenText,
  FilePlus2,
  Keyboard,
  KeyRound,
  LogOut,
  type LucideIcon,
  Moon,
  Send,
  Sun,
  Webhook,
} from 'lucide-react'
import { hasScope, type Session, signOut } from '../api/session.ts'
import { pageGroupsOf } from '../pages.tsx'
import { APP_TEXTS } from '../texts/app.ts'
import { PALETTE_TEXTS } from '../texts/palette.ts'
import type { Theme } from '../ui/theme.ts'
import { showToast } from '../ui/toast.tsx'
import type { Entry } from './entry.ts'

const { actions: A, words: W } = PALETTE_TEXTS

export type Means = Readonly<{
  session: Session
  hasSimulator: boolean
  go: (path: string) => void
  isDark: boolean
  setTheme: (theme: Theme) => void
  onKeysHelp: () => void
}>

export const pagesOf = ({
  session,
  hasSimulator,
  go,
}: Pick<Means, 'session' | 'hasSimulator' | 'go'>): readonly Entry[] =>
  pageGroupsOf(session, hasSimulator).flatMap(({ name: group, pages }) =>
    pages.map(({ path, name, icon: Icon }) => ({
      id: `page ${path}`,
      name,
      about: group,
      icon: <Icon aria-hidden="true" />,
      run: () => go(path),
    })),
  )

type Action = Readonly<{ name: string; words: string; icon: LucideIcon; scopes?: readonly string[]; run: () => void }>

export const actionsOf = (means: Means): readonly Entry[] =>
  [...creating(means), ...general(means)]
    .filter(({ scopes }) => scopes === undefined || scopes.some((scope) => hasScope(means.session, scope)))
    .map(({ icon: Icon, name, words, run }) => ({
      id: `action ${name}`,
      name,
      words,
      icon: <Icon aria-hidden="true" />,
      run,
    }))

function creating({ go }: Means): readonly Action[] {
  const template = { words: W.template, icon: FilePlus2, scopes: ['messages:write'] }
  return [
    {
      name: A.send,
      words: W.send,
      icon: Send,
      scopes: ['sms:send', 'email:send', 'otp'],
      run: () => go('/send'),
    },
    { name: A.apiKey, words: W.apiKey, icon: KeyRound, scopes: ['admin'], run: () => go('/api-keys') },
    { name: A.endpoint, words: W.endpoint, icon: Webhook, scopes: ['admin'], run: () => go('/webhooks') },
    { ...template, name: A.smsTemplate, run: () => go('/templates?new=sms') },
    { ...template, name: A.emailTemplate, run: () => go('/templates?new=email') },
  ]
}

function general({ isDark, setTheme, onKeysHelp }: Means): readonly Action[] {
  const leave = (): void => void signOut().catch(() => showToast(APP_TEXTS.notSignedOut, 'bad'))
  return [
    {
      name: isDark ? A.light : A.dark,
      words: W.theme,
      icon: isDark ? Sun : Moon,
      run: () => setTheme(isDark ? 'light' : 'dark'),
    },
    { name: A.reference, words: W.reference, icon: BookOpenText, run: () => open('/docs', '_blank', 'noreferrer') },
    { name: A.keys, words: W.keys, icon: Keyboard, run: onKeysHelp },
    { name: A.signOut, words: W.signOut, icon: LogOut, run: leave },
  ]
}
