/** Small parts that every page uses. What they look like is in styles/parts.css. */
import { type ButtonHTMLAttributes, Fragment, type PropsWithChildren, type ReactNode } from 'react'
import { detailsOf, toWords } from '../api/client.ts'
import { TEXTS } from '../texts.ts'
import { useTitle } from './title.ts'

type PageProps = Readonly<{ title: string; about?: string; actions?: ReactNode }>

/** The head of a page: one heading, what it is about, and what can be done. */
export function PageHead({ title, about, actions }: PageProps) {
  useTitle(title)
  return (
    <header className="page-head">
      <h1>{title}</h1>
      {actions !== undefined && <div className="page-actions">{actions}</div>}
      {about !== undefined && <p className="page-about">{about}</p>}
    </header>
  )
}

type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> &
  Readonly<{ kind?: 'primary' | 'danger' | 'plain' | 'danger primary' }>

export function Button({ kind, className = '', type = 'button', ...rest }: ButtonProps) {
  return <button type={type} className={`button ${kind ?? ''} ${className}`} {...rest} />
}

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'quiet'

export const Badge = ({ tone, children }: PropsWithChildren<{ tone: Tone }>) => (
  <span className={`badge ${tone}`}>{children}</span>
)

const STATUS_TONES: Readonly<Record<string, Tone>> = {
  queued: 'quiet',
  sending: 'info',
  sent: 'info',
  delivered: 'good',
  failed: 'bad',
  expired: 'warn',
}

/** The status of a message, the same everywhere. */
export const Status = ({ status }: Readonly<{ status: string }>) => (
  <Badge tone={STATUS_TONES[status] ?? 'quiet'}>{status}</Badge>
)

type CardProps = PropsWithChildren<{ title?: ReactNode; className?: string }>

export const Card = ({ title, className = '', children }: CardProps) => (
  <section className={`card ${className}`}>
    {title !== undefined && <h2>{title}</h2>}
    {children}
  </section>
)

type FieldProps = PropsWithChildren<{ label: string; problem?: string | undefined; className?: string }>

/** A label around an input; what is wrong with it stands below. */
export const Field = ({ label, problem, className = '', children }: FieldProps) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
  <label className={`field ${className}`}>
    <span>{label}</span>
    {children}
    {problem !== undefined && <span className="problem">{problem}</span>}
  </label>
)

export const Empty = ({ children }: PropsWithChildren) => <div className="empty">{children}</div>

export const Loading = () => (
  <div className="empty" role="status">
    {TEXTS.common.loading}
  </div>
)

/** What went wrong, in the words of the gateway. */
export function Failure({ error }: Readonly<{ error: unknown }>) {
  const details = detailsOf(error)
  return (
    <div className="note bad" role="alert">
      {toWords(error)}
      {details.length > 1 && (
        <ul>
          {details.map(({ path, message }) => (
            <li key={path}>
              {path} {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

type Fact = readonly [name: string, value: ReactNode]

/** Names and values side by side; those without a value are left out. */
export const Facts = ({ facts }: Readonly<{ facts: readonly Fact[] }>) => (
  <dl className="facts">
    {facts
      .filter(([, value]) => value !== undefined && value !== null && value !== '')
      .map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
  </dl>
)
