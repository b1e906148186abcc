/** The number of runs of a slow test: `few` in `npm test`, `many` in `npm run test:long`. */
export const runs = (few: number, many: number): number => (process.env['POMBO_TEST_LONG'] === undefined ? few : many)
