/** What the embedded profile should reach. Ratios are to another part of the same run. */
export const TARGET = {
  /** × bare Fastify. */
  accept: 0.42,
  endToEnd: 0.4,
  batch: 0.83,
  /** (c) × the peer. */
  kannel: 0.8,
  bullmq: 1.25,
  /** (l) × Kannel. */
  smppClients: 0.8,
  /** CPU per message in (c), all threads of the gateway. */
  cpuMicros: 150,
  indexSeconds: 10,
  /** (f), with `waiting` and with `waitingMost` messages in the queue, and after `kill -9`. */
  rssMb: 350,
  mostRssMb: 450,
  readySeconds: 3,
  /** × accepting without limits. */
  limited: 0.85,
  /** × bcrypt alone. */
  codes: 0.95,
  /** The p99 of accepting beside other work × alone. */
  beside: 2,
  /** Messages sent beside a hanging provider × alone. */
  hanging: 0.9,
  /** × nodemailer alone. */
  mails: 0.8,
}

/** For SMPP, either target is enough. */
export const SMPP_TARGET = { perSecond: 3_000, ofSimulated: 0.8 }
