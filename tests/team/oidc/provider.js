// A real OpenID Connect provider for the tests, on a free loopback port. It prints its address, then serves until killed.
// Anybody signs in with any password; who has which claims is in PEOPLE (JSON, by login).
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const people = JSON.parse(process.env.PEOPLE ?? '{}');

const key = (kind, options, use) => ({
  ...generateKeyPairSync(kind, options).privateKey.export({ format: 'jwk' }),
  use: 'sig',
  ...use,
});

const client = (id, algorithm, more) => ({
  client_id: id,
  redirect_uris: ['http://127.0.0.1/callback'],
  response_types: ['code'],
  grant_types: ['authorization_code'],
  id_token_signed_response_alg: algorithm,
  application_type: 'native',
  ...more,
});

const server = createServer();
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients: [
      client('public', 'RS256', { token_endpoint_auth_method: 'none' }),
      client('basic', 'ES256', { client_secret: 'a secret: with %', token_endpoint_auth_method: 'client_secret_basic' }),
      client('other', 'EdDSA', { token_endpoint_auth_method: 'none' }),
      client('pss', 'PS256', { token_endpoint_auth_method: 'none' }),
    ],
    jwks: {
      keys: [
        key('rsa', { modulusLength: 2048 }),
        key('ec', { namedCurve: 'P-256' }),
        key('ed25519', {}, { alg: 'EdDSA' }),
      ],
    },
    enabledJWA: { idTokenSigningAlgValues: ['RS256', 'PS256', 'ES256', 'EdDSA'] },
    claims: {
      openid: ['sub'],
      profile: ['name', 'preferred_username', 'groups', 'unix'],
      email: ['email', 'email_verified'],
    },
    // False: what is not about the sign-in itself is only at the userinfo endpoint.
    conformIdTokenClaims: process.env.IN_TOKEN !== '1',
    cookies: { keys: ['for tests'] },
    pkce: { required: () => true },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...people[id] }) }),
  });
  // Any loopback port may be the one of the test's server.
  const { redirectUriAllowed } = provider.Client.prototype;
  provider.Client.prototype.redirectUriAllowed = function allowed(uri) {
    return uri.startsWith('http://127.0.0.1:') || redirectUriAllowed.call(this, uri);
  };
  server.on('request', provider.callback());
  console.log(issuer);
});
