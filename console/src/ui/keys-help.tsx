/** The dialog that lists the keyboard shortcuts. */
import { Fragment } from 'react'
import { TEXTS } from '../texts.ts'
import { Dialog } from './dialog.tsx'
import { Button } from './parts.tsx'

const T = TEXTS.app

export const KeysHelp = ({ onClose }: Readonly<{ onClose: () => void }>) => (
  <Dialog title={T.keysTitle} onClose={onClose}>
    <dl className="facts">
      {T.keys.map(([key, about]) => (
        <Fragment key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{about}</dd>
        </Fragment>
      ))}
    </dl>
    <div className="dialog-foot">
      <Button onClick={onClose}>{TEXTS.common.close}</Button>
    </div>
  </Dialog>
)
