/** From the page of one thing back to the list of all. */
import { ArrowLeft } from 'lucide-react'
import type { PropsWithChildren } from 'react'
import { Link } from 'wouter'

export const BackLink = ({ href, children }: PropsWithChildren<{ href: string }>) => (
  <Link href={href} className="back-link">
    <ArrowLeft aria-hidden="true" /> {children}
  </Link>
)
