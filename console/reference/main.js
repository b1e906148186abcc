/** Shows the document of the gateway that serves this page, with its address in the code samples. */

/** What the samples and the second server of the document have. */
const ORIGIN = 'http://localhost:8080'

async function show() {
  const response = await fetch('/openapi.json')
  if (!response.ok) throw new Error(`/openapi.json responded ${response.status}`)
  const content = JSON.parse((await response.text()).replaceAll(ORIGIN, location.origin))
  window.Scalar.createApiReference('#reference', { content, ...APPEARANCE, ...ONLY_HERE })
}

const APPEARANCE = {
  theme: 'none',
  // The samples of the document are the only ones.
  hiddenClients: true,
  orderSchemaPropertiesBy: 'preserve',
  orderRequiredPropertiesFirst: false,
  modelsSectionLabel: 'Schemas',
  metaData: { title: 'Pombo API' },
  documentDownloadType: 'none',
  authentication: { preferredSecurityScheme: 'bearer' },
}

/** Nothing leaves for another origin. */
const ONLY_HERE = {
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  externalUrls: { dashboardUrl: '', registryUrl: '', proxyUrl: '', apiBaseUrl: '' },
}

/** Scalar's buttons that copy code have an icon only. Code is drawn when it comes into view. */
function nameCopyButtons() {
  for (const button of document.querySelectorAll('.scalar-code-copy:not([aria-label])'))
    button.setAttribute('aria-label', 'Copy the code')
}
new MutationObserver(nameCopyButtons).observe(document.body, { childList: true, subtree: true })

void show()
