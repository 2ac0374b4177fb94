"""What tests share: small laws and models, servers, browsers, and what was made up for them."""
