/** The frame of the pages without navigation: the logo above a card. */
import '../styles/sign-in.css'
import type { PropsWithChildren, ReactNode } from 'react'
import icon from '../icon.svg'
import { APP_TEXTS } from '../texts/app.ts'
import { useTitle } from './title.ts'

type SignInCardProps = PropsWithChildren<{ title: string; about?: ReactNode; foot?: ReactNode }>

export function SignInCard({ title, about, foot, children }: SignInCardProps) {
  useTitle(title)
  return (
    <main className="sign-in">
      <p className="sign-in-brand">
        <img src={icon} alt="" />
        {APP_TEXTS.name}
      </p>
      <div className="card">
        <header>
          <h1>{title}</h1>
          {about !== undefined && <p className="soft">{about}</p>}
        </header>
        {children}
      </div>
      {foot !== undefined && <p className="sign-in-foot">{foot}</p>}
    </main>
  )
}
