/**
 * The configuration of a reverse proxy that `pombo init` writes. Both proxies tell Pombo the address of the client,
 * leave it to Pombo to refuse what is too large, pass event streams on at once, keep `/metrics` inside, and log no
 * requests, whose paths contain the addresses of people: Pombo has a log of its own.
 */
import type { Answers } from './init-answers.ts'

type Parts = Pick<Answers, 'publicUrl' | 'port'>

export const caddyfile = ({
  publicUrl,
  port,
}: Parts): string => `# TLS for Pombo. Caddy obtains and renews the certificate by itself.
${publicUrl.port === '' ? publicUrl.hostname : publicUrl.origin} {
	@internal path /metrics
	respond @internal 404

	header Strict-Transport-Security max-age=31536000

	reverse_proxy 127.0.0.1:${port} {
		transport http {
			# Less than the 72 seconds after which the gateway closes idle connections.
			keepalive 60s
		}
	}
}
`

export const nginxSite = ({ publicUrl, port }: Parts): string => `# TLS for Pombo: a file for /etc/nginx/sites-enabled.

upstream pombo {
	server 127.0.0.1:${port};
	# nginx keeps idle connections for 60 seconds, and the gateway for 72.
	keepalive 64;
}

# Calls without credentials, by address.
limit_req_zone $binary_remote_addr zone=pombo_open:10m rate=10r/s;

server {
	listen 80;
	listen [::]:80;
	server_name ${publicUrl.hostname};

	# For certbot: --webroot --webroot-path /var/www/html
	location /.well-known/acme-challenge/ {
		root /var/www/html;
	}
	location / {
		return 308 ${publicUrl.origin}$request_uri;
	}
}

server {
	# From nginx 1.25.1 on, "http2 on;" instead of "http2" here avoids a warning.
	listen ${publicUrl.port || 443} ssl http2;
	listen [::]:${publicUrl.port || 443} ssl http2;
	server_name ${publicUrl.hostname};

	ssl_certificate /etc/letsencrypt/live/${publicUrl.hostname}/fullchain.pem;
	ssl_certificate_key /etc/letsencrypt/live/${publicUrl.hostname}/privkey.pem;
	ssl_protocols TLSv1.2 TLSv1.3;
	add_header Strict-Transport-Security "max-age=31536000" always;

	access_log off;
	# Errors of single requests are logged with their URLs.
	error_log /var/log/nginx/error.log crit;

	# Pombo takes at most 8 MiB, and says so itself.
	client_max_body_size 32m;
	# Messages are never written to the disk of the proxy.
	proxy_request_buffering off;
	proxy_max_temp_file_size 0;

	proxy_http_version 1.1;
	proxy_set_header Connection "";
	proxy_set_header Host $http_host;
	# Replaces what the client has sent.
	proxy_set_header X-Forwarded-For $remote_addr;
	proxy_read_timeout 120s;

	location / {
		proxy_pass http://pombo;
	}
	location = /v1/events {
		proxy_pass http://pombo;
		proxy_buffering off;
	}
	location ~ ^/(v1/session|docs|openapi\\.json) {
		limit_req zone=pombo_open burst=50 nodelay;
		limit_req_status 429;
		proxy_pass http://pombo;
	}
	location = /metrics {
		return 404;
	}
}
`
