/** The place of something that is loading, in its final size. */
import '../styles/skeleton.css'
import { COMMON_TEXTS } from '../texts/common.ts'

export const Skeleton = ({ height }: Readonly<{ height: number }>) => (
  <div className="skeleton" style={{ height }} role="status">
    <span className="visually-hidden">{COMMON_TEXTS.loading}</span>
  </div>
)
