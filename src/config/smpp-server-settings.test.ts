import assert from 'node:assert/strict'
import { test } from 'node:test'
import { smppServerProblems } from './smpp-server-settings.ts'

const CERTIFICATE = { tlsCertificateFile: 'cert.pem' }

test('no port, or different ones with a certificate, are fine', () => {
  assert.deepEqual(smppServerProblems({}), [])
  assert.deepEqual(smppServerProblems({ smppPort: 2775 }), [])
  assert.deepEqual(smppServerProblems({ smppPort: 2775, smppsPort: 3550, ...CERTIFICATE }), [])
  assert.deepEqual(smppServerProblems({ smppPort: 0, smppsPort: 0, ...CERTIFICATE }), [])
})

test('the port with TLS needs a certificate, and one of its own', () => {
  assert.deepEqual(smppServerProblems({ smppsPort: 3550 }), [
    'POMBO_TLS_CERTIFICATE_FILE is not set; POMBO_SMPPS_PORT needs a certificate',
  ])
  assert.deepEqual(smppServerProblems({ smppPort: 2775, smppsPort: 2775, ...CERTIFICATE }), [
    'POMBO_SMPP_PORT and POMBO_SMPPS_PORT are the same; set different ports, or unset one of them',
  ])
})
