#include "watari/objects/service/credentials.hpp"

#include "folder.hpp"
#include "watari/objects/service/errors.hpp"
#include "watari/objects/service/profile.hpp"

#include <gtest/gtest.h>
#include <cstdlib>
#include <fstream>
#include <string>

namespace watari::objects {

namespace {

class Credentials : public testing::Test {
protected:
    void SetUp() override {
        for (const char* name :
             {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE",
              "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"})
            unsetenv(name);
        setenv("AWS_SHARED_CREDENTIALS_FILE", keys.c_str(), 1);
        setenv("AWS_CONFIG_FILE", config.c_str(), 1);
    }
    void TearDown() override {
        SetUp();
        unsetenv("AWS_SHARED_CREDENTIALS_FILE");
        unsetenv("AWS_CONFIG_FILE");
    }
    static void write(const std::string& path, const char* text) { std::ofstream(path) << text; }

    const storage::directory folder;
    const std::string keys = folder.path + "/credentials", config = folder.path + "/config";
};

TEST_F(Credentials, ComeFromTheEnvironmentFirst) {
    write(keys, "[default]\naws_access_key_id=FILE\naws_secret_access_key=of a file\n");
    setenv("AWS_ACCESS_KEY_ID", "ENV", 1);
    EXPECT_THROW(find_credentials(), usage_error);
    setenv("AWS_SECRET_ACCESS_KEY", "hidden", 1);
    setenv("AWS_SESSION_TOKEN", "token", 1);
    const credentials found = find_credentials();
    EXPECT_EQ(found.id, "ENV");
    EXPECT_EQ(found.secret, "hidden");
    EXPECT_EQ(found.token, "token");
    EXPECT_EQ(found.without_secrets("ENV and hidden, token"), "... and ..., ...");
}

TEST_F(Credentials, ComeFromTheProfile) {
    write(keys,
          "# of two people\n[default]\r\naws_access_key_id = ONE\r\naws_secret_access_key = s=1\r\n"
          "\n[ other ]\naws_access_key_id=TWO\naws_secret_access_key=2\naws_session_token=t\n");
    write(config,
          "[default]\nregion=eu-west-1\ns3 =\n    region = no\n[profile other]\nregion = x\n");
    EXPECT_EQ(find_credentials().id, "ONE");
    EXPECT_EQ(find_credentials().secret, "s=1");
    EXPECT_EQ(chosen_profile()["region"], "eu-west-1");
    setenv("AWS_PROFILE", "other", 1);
    EXPECT_EQ(find_credentials().token, "t");
    EXPECT_EQ(chosen_profile()["region"], "x");
    setenv("AWS_PROFILE", "third", 1);
    EXPECT_THROW(find_credentials(), usage_error);
}

TEST_F(Credentials, AreNoneWithoutAnyPlace) { EXPECT_TRUE(find_credentials().empty()); }

TEST_F(Credentials, OfASourceThatIsNotReadAreRefused) {
    write(config, "[default]\ncredential_process = /bin/keys\n");
    EXPECT_THROW(find_credentials(), usage_error);
}

TEST_F(Credentials, OfAContainerAreAskedFromItsServerOnly) {
    setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://example.org/", 1);
    EXPECT_THROW(find_credentials(), usage_error);
}

TEST(ContainerCredentials, AreParsed) {
    const credentials found = parse_container(
        R"({ "RoleArn" : "r", "AccessKeyId" : "A", "SecretAccessKey":"s\/1",
             "Token" : "t", "Expiration" : "2015-08-30T12:36:00Z" })");
    EXPECT_EQ(found.id, "A");
    EXPECT_EQ(found.secret, "s/1");
    EXPECT_EQ(found.token, "t");
    EXPECT_EQ(found.expires, 1440938160);
    EXPECT_TRUE(found.stale(1440938160 - 60));
    EXPECT_FALSE(found.stale(1440938160 - 3600));
    EXPECT_THROW(parse_container("{}"), service_error);
}

}  // namespace

}  // namespace watari::objects
